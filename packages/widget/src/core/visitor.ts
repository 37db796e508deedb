import { TurnClient } from 'avatar-chat-client';
import type { WidgetHost } from '../loader/contract.js';
import type { Access } from './access.js';
import { UserStorage } from './user-storage.js';
import { userId } from './user.js';

const RETRIES = 2;

/** The user whose conversations an element shows, and their storage. */
export interface Visitor {
  service: string;
  client: TurnClient;
  store: UserStorage;
  /** Identifies the user, within a project of the service. */
  user: string;
}

/** From the element's attributes. */
export function visitorOf({ element, directory, emit }: WidgetHost, access: Access): Visitor {
  const attribute = (name: string) => element.getAttribute(name) ?? undefined;
  const service = new URL(attribute('service') ?? directory, location.href).href;
  const user_id = attribute('user-id') ?? userId();
  const project_id = attribute('project-id');
  const user = JSON.stringify([service.replace(/\/$/, ''), project_id ?? 'default', user_id]);
  const client = new TurnClient({
    url: service,
    user_id,
    project_id,
    user_hash: attribute('user-hash'),
    getToken: element.getToken && (() => element.getToken!()),
    fetch: access.fetch,
    // After an answer_timeout the user has already waited long enough, and can retry.
    retries: ({ code }, attempt) => access.isOpen && code !== 'answer_timeout' && attempt < RETRIES,
    onExchange: (detail) => emit('exchange', detail),
  });
  return { service, client, store: new UserStorage(user), user };
}
