import { OnEvent as OnAnyEvent } from '@nestjs/event-emitter';
import type { ModuleEventType } from 'avatar-chat-catalogue';
import type { AnyEventType, ServiceEvent } from './event.types.js';

/**
 * Calls a method of a provider for each event of a type that happens in this process, after it has happened. Nobody
 * waits for it, and its errors are only logged.
 *
 * @example
 * @OnEvent('user.erased')
 * async forget({ data: { project_id, user_id } }: ServiceEvent<'user.erased'>) {}
 */
export function OnEvent<T extends AnyEventType | ModuleEventType>(type: T) {
  return <Listener extends (event: ServiceEvent<T>) => unknown>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Listener>,
  ): void => {
    // The library would log the error's message, which may quote a user.
    OnAnyEvent(type, { suppressErrors: false })(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  };
}
