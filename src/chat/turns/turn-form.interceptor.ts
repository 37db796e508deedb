import '@fastify/multipart';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import type { Owner } from '../../auth/index.js';
import { type ErasureFence, ErasureFences } from '../../erasure/index.js';
import { FILE_LIMIT, FileService, type SavedFile } from '../../files/index.js';
import { UploadLimit } from '../../rate-limits/index.js';
import { failure, formError } from '../../platform/errors/index.js';
import type { TurnRequest } from './turn.dto.js';
import type { TurnInput } from './turn.intake.js';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Documents the header of {@link assertIdempotencyKey}. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    description: 'A request with the same key and body returns the first result, and is stored only once.',
    required: false,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
  });

interface Form {
  fields: Record<string, unknown>;
  repeated: string[];
  files: SavedFile[];
}

/** The recording of a form. */
interface Upload {
  readonly file: SavedFile;
  readonly fence: ErasureFence;
  readonly repeated: readonly string[];
  isTaken: boolean;
}
const uploads = new WeakMap<FastifyRequest, Upload>();

/**
 * The recording that came with a valid turn. It is the caller's from now on.
 *
 * @throws ServiceError `invalid_file` if a field of the turn came twice
 */
export function takeUpload(request: FastifyRequest, turn: TurnRequest): Pick<TurnInput, 'file' | 'fence'> | undefined {
  const upload = uploads.get(request);
  if (!upload) return undefined;
  if (upload.repeated.some((field) => Object.hasOwn(turn, field))) throw failure('invalid_file');
  upload.isTaken = true;
  return { file: upload.file, fence: upload.fence };
}

/** Receives a form with a recording: its fields become the body. What is rejected after that leaves no file. */
@Injectable()
export class TurnFormInterceptor implements NestInterceptor {
  constructor(
    private readonly files: FileService,
    private readonly fences: ErasureFences,
    private readonly uploads: UploadLimit,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user: Owner }>();
    assertIdempotencyKey(request.headers['idempotency-key']);
    if (!request.isMultipart()) return next.handle();
    // Checked before the first byte is stored.
    const fence = await this.fences.currentFence();
    const { fields, repeated, files } = await this.readCounted(request.user, request);
    const [file] = files;
    if (!file || files.length > 1) {
      await this.remove(files);
      throw failure('invalid_file');
    }
    const upload: Upload = { file, fence, repeated, isTaken: false };
    uploads.set(request, upload);
    request.body = fields;
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (!upload.isTaken) await this.remove(files);
        throw error;
      }),
    );
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
      const refusal = formError(error, request);
      await this.remove(files);
      throw refusal;
    }
    return { fields, repeated, files };
  }

  private async remove(files: readonly SavedFile[]): Promise<void> {
    await this.files.remove(files.map(({ file_id }) => file_id)).catch(() => undefined);
  }
}

async function* counted(source: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    count(piece.length);
    yield piece;
  }
}

/** @throws ServiceError `invalid_idempotency_key` */
export function assertIdempotencyKey(key: unknown): void {
  if (key !== undefined && !(typeof key === 'string' && IDEMPOTENCY_KEY.test(key)))
    throw failure('invalid_idempotency_key');
}
