import type { FileUrls } from '../files/index.js';
import type { Message } from './message.dto.js';
import type { MessageDocument } from './message.schema.js';

/** A message in the format of the API; the URL of its file is signed anew each time. */
export function present(message: MessageDocument, urls: FileUrls): Message {
  const { _id, direction, user_id, request, answer, avatar_id, avatar_name, date, chat_type, language_code } = message;
  const incoming = direction === 'incoming';
  const fileUrl = message.file_id === undefined ? message.fileUrl : urls.sign(message.file_id);
  return {
    _id,
    direction,
    user_id,
    request,
    ...(incoming ? { answer } : {}),
    avatar_id,
    ...(incoming ? { avatar_name } : {}),
    date,
    chat_type,
    language_code,
    ...(fileUrl === undefined ? {} : { fileUrl }),
  };
}
