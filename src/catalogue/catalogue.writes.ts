import { type Avatar, type Language, type ProjectChange, newEpoch, newKey, PROJECT_PARTS } from 'avatar-chat-catalogue';

/** The bulk write that stores an avatar of a change. */
export function avatarWrite(replacement: Avatar) {
  return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
}

/** The same for a language. */
export function languageWrite({ language_code: _id, name, icon_url }: Language) {
  return { replaceOne: { filter: { _id }, replacement: { _id, name, icon_url }, upsert: true } };
}

/** The same for a project; closing an open one takes two writes. */
export function projectWrites({ project_id: _id, ...project }: ProjectChange) {
  const change = {
    $set: project,
    ...unsetWhereAbsent(project, PROJECT_PARTS),
  };
  const closing = {
    filter: { _id, token_policy: 'open' as const },
    update: { $set: { ...project, epoch: newEpoch() } },
  };
  const update = { ...change, $setOnInsert: { key: newKey(), epoch: newEpoch() } };
  return [
    // Anyone could have obtained a token of an open project, so these tokens become invalid with it.
    ...(project.token_policy === 'open' ? [] : [{ updateOne: closing }]),
    { updateOne: { filter: { _id }, update, upsert: true } },
  ];
}

/** MongoDB before 5.0 rejects an empty `$unset`. */
function unsetWhereAbsent<T>(document: T, fields: readonly (keyof T)[]): { $unset?: Record<string, 1> } {
  const absent = fields.filter((field) => document[field] === undefined);
  return absent.length > 0 ? { $unset: Object.fromEntries(absent.map((field) => [field, 1 as const])) } : {};
}
