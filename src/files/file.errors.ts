import { type DocumentedErrors } from '../platform/openapi/index.js';
import { ServiceError } from '../platform/errors/index.js';

/** Bytes of the largest file that is taken. */
export const FILE_LIMIT = 10 * 1024 * 1024;

const FILE_NOT_FOUND = 'There is no such file, or the URL is no longer good.';

export const FILE_ERRORS: DocumentedErrors = {
  404: [['file_not_found', FILE_NOT_FOUND]],
  503: ['service_unavailable'],
};
export const FILE_RANGE_ERRORS: DocumentedErrors = { ...FILE_ERRORS, 416: ['range_not_satisfiable'] };

export function fileNotFound(): ServiceError {
  return new ServiceError(404, 'file_not_found', FILE_NOT_FOUND);
}

export function fileTooLarge(): ServiceError {
  return new ServiceError(413, 'payload_too_large', 'The file is larger than 10 MiB.');
}

export function notMedia(): ServiceError {
  return new ServiceError(
    415,
    'unsupported_media_type',
    'The file is not a recording of a kind that the service takes: WAV, MP3, AAC, FLAC, Ogg, WebM, Matroska or MP4.',
  );
}

export function rangeNotSatisfiable(size: number): ServiceError {
  return new ServiceError(416, 'range_not_satisfiable', 'The requested range lies outside the file.', {
    'Content-Range': `bytes */${size}`,
  });
}
