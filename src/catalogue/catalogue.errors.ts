import { ServiceError } from '../platform/errors/index.js';

/** The new owner of a name must not be given what the former project of that name has left. */
export function projectHasMessages(project_id: string): ServiceError {
  return new ServiceError(
    409,
    'project_has_messages',
    `Messages of a removed project of this name remain. Erase them first, with: project remove ${project_id} --erase.`,
  );
}
