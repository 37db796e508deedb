/** Events that webhooks can subscribe to. */
export const EVENT_TYPES = [
  'session.started',
  'message.created',
  'message.rated',
  'turn.failed',
  'user.erased',
  'conversation.waiting',
  'conversation.taken',
  'conversation.returned',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Events of modules: the module's name, a dot and what happened, such as `ratings.given`. */
export type ModuleEventType = `${string}.${string}`;
/** Must not start with the first word of an event of the service. */
export const MODULE_EVENT =
  /^(?!(?:session|message|messages|turn|user|conversation)\.)[a-z][a-z0-9_-]{0,31}\.[a-z][a-z0-9_.-]{0,63}$/;

export function isModuleEvent(type: string): type is ModuleEventType {
  return MODULE_EVENT.test(type);
}
