import { OnEvent as OnAnyEvent } from '@nestjs/event-emitter';
import type { ModuleEventType } from '../catalogue/index.js';
import type { AnyEventType, ServiceEvent } from './event.types.js';

/**
 * Has a method of a provider called with the events of a type that happen in this process, after they have. Nobody
 * waits for it, and what it throws only reaches the log.
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
    // The library would log the message of an error, which may quote what a user said.
    OnAnyEvent(type, { suppressErrors: false })(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  };
}
