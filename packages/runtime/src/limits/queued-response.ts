import type { ServerResponse } from 'node:http';

/**
 * Calls a listener when the connection of a pipelined response closes while the response waits for earlier ones: Node
 * emits no event then. Does nothing if the response already has the connection.
 */
export function onceClosedInQueue(response: ServerResponse, listener: () => void): void {
  const { socket } = response.req;
  if (response.socket) return;
  if (socket.destroyed) return listener();
  // Any number of responses may wait, so Node should not warn of a leak.
  socket.setMaxListeners(0).once('close', listener);
  response.once('socket', () => socket.off('close', listener));
}
