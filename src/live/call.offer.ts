import '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { failure, formError } from '../platform/errors/index.js';
import { BODY_LIMIT } from '../platform/http/index.js';

export const SDP = 'application/sdp';
const sdp = { type: 'string', description: 'An SDP offer with audio and the data channel `oai-events`.' };
const session = { type: 'string', description: 'JSON, applied as a first `session.update`; `model` is the avatar.' };

/** The bodies of a request for a call, in OpenAPI's format. */
export const OFFER_BODIES = {
  [SDP]: { schema: sdp, example: 'v=0\r\no=- 3893 2 IN IP4 127.0.0.1\r\n…' },
  'multipart/form-data': { schema: { type: 'object', required: ['sdp'], properties: { sdp, session } } },
};

/** @throws ServiceError `invalid_offer`, `malformed_form`, `payload_too_large` */
export async function readOffer(request: FastifyRequest): Promise<{ sdp: string; session?: unknown }> {
  const fields = request.isMultipart() ? await readFields(request) : { sdp: request.body };
  if (typeof fields.sdp === 'string') return { ...fields, sdp: fields.sdp };
  throw failure('invalid_offer', 'The body must be an SDP offer, or a form with one as sdp.');
}

async function readFields(request: FastifyRequest): Promise<{ sdp?: unknown; session?: unknown }> {
  const fields = new Map<string, unknown>();
  try {
    for await (const part of request.parts({ limits: { fileSize: BODY_LIMIT } })) {
      if (part.type === 'field' && part.valueTruncated) throw failure('payload_too_large');
      const value = part.type === 'file' ? (await part.toBuffer()).toString() : part.value;
      if (part.type === 'file' && part.file.truncated) throw failure('payload_too_large');
      // What says that it is JSON has been parsed.
      const isText = part.fieldname === 'session' && typeof value === 'string';
      fields.set(part.fieldname, isText ? JSON.parse(value) : value);
    }
  } catch (error) {
    throw formError(error, request);
  }
  return Object.fromEntries(fields);
}
