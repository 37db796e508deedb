import '@fastify/multipart';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Owner } from '../../auth/index.js';
import { ErasureFences } from '../../erasure/index.js';
import { FILE_LIMIT, FileService, type SavedFile } from '../../files/index.js';
import { MAX_REQUEST } from '../../messages/index.js';
import { ValidationPipe } from '../../platform/validation/index.js';
import { UploadLimit } from '../../rate-limits/index.js';
import { failure } from '../../platform/errors/index.js';
import { TurnRequest } from './turn.dto.js';
import type { TurnInput } from './turn.intake.js';

/** By message, since the form parser's errors have no code. */
// "The needle" is the boundary: the parser accepts 1 to 252 characters.
const MALFORMED_FORM =
  /^(Multipart: |Malformed |Unexpected end of |Part terminated early|premature close|The needle cannot )/i;
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

interface Form {
  fields: Record<string, unknown>;
  repeated: string[];
  files: SavedFile[];
}

/** Reads the user's message, as JSON or as a form with a recording. */
@Injectable()
export class TurnRequests {
  private readonly validation = new ValidationPipe();

  constructor(
    private readonly files: FileService,
    private readonly fences: ErasureFences,
    private readonly uploads: UploadLimit,
  ) {}

  /** @throws ServiceError if the request is invalid; a recording received so far is removed again */
  async read(owner: Owner, request: FastifyRequest): Promise<TurnInput> {
    const idempotency_key = keyOf(request);
    if (!request.isMultipart()) {
      const fields = this.validate(request.body);
      if (fields.request === undefined) throw failure('invalid_request', MAX_REQUEST);
      return { owner, ...fields, idempotency_key };
    }
    // Checked before the first byte is stored.
    const fence = await this.fences.currentFence();
    const { fields, repeated, files } = await this.readCounted(owner, request);
    const [file] = files;
    try {
      if (!file || files.length > 1) throw failure('invalid_file');
      const turn = this.validate(fields);
      if (repeated.some((field) => Object.hasOwn(turn, field))) throw failure('invalid_file');
      return { owner, ...turn, file, idempotency_key, fence };
    } catch (error) {
      await this.files.remove(files.map(({ file_id }) => file_id)).catch(() => undefined);
      throw error;
    }
  }

  /** Counts received bytes, whether or not they are accepted. */
  private async readCounted(owner: Owner, request: FastifyRequest): Promise<Form> {
    const length = Number(request.headers['content-length'] ?? FILE_LIMIT);
    const settle = await this.uploads.reserve(owner, Math.min(length, FILE_LIMIT));
    let came = 0;
    try {
      return await this.readForm(owner, request, (bytes) => (came += bytes));
    } finally {
      await settle(came).catch(() => undefined);
    }
  }

  private async readForm(owner: Owner, request: FastifyRequest, count: (bytes: number) => void): Promise<Form> {
    const fields: Record<string, unknown> = {};
    const repeated: string[] = [];
    const files: SavedFile[] = [];
    try {
      for await (const part of request.parts()) {
        if (part.type === 'file') {
          if (part.fieldname !== 'file') throw failure('invalid_file');
          files.push(await this.files.save(owner, counted(part.file, count)));
        } else {
          if (Object.hasOwn(fields, part.fieldname)) repeated.push(part.fieldname);
          fields[part.fieldname] = part.value;
        }
      }
    } catch (error) {
      // Drain the rest of the body, or it would block the next request on the same connection.
      request.raw.unpipe();
      request.raw.resume();
      await this.files.remove(files.map(({ file_id }) => file_id)).catch(() => undefined);
      throw formError(error);
    }
    return { fields, repeated, files };
  }

  private validate(value: unknown): TurnRequest {
    return this.validation.transform(value, { type: 'body', metatype: TurnRequest }) as TurnRequest;
  }
}

async function* counted(source: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    count(piece.length);
    yield piece;
  }
}

/** Our error for an invalid form, in place of the parser's own message. */
function formError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as Error & { code?: unknown };
  if (code === 'FST_PROTO_VIOLATION') return failure('forbidden_field');
  return code === 'FST_INVALID_JSON_FIELD_ERROR' || MALFORMED_FORM.test(error.message)
    ? failure('malformed_form')
    : error;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) throw failure('invalid_idempotency_key');
  return key;
}
