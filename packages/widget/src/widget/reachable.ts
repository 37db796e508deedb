import type { ConnectionResponse } from 'avatar-chat-client';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A URL of the service as this page can reach it. On a developer's machine the service calls itself by one of its names,
 * say 127.0.0.1, while the page may have been opened by another, which browsers take for another origin.
 */
export function reachable(url: string, service: string): string {
  const there = new URL(url);
  const here = new URL(service);
  if (there.port === here.port && LOOPBACK.test(there.hostname) && LOOPBACK.test(here.hostname)) {
    there.hostname = here.hostname;
  }
  return there.href;
}

/** What there is to choose from, with pictures and videos that can be reached. */
export function reachableConnection(connection: ConnectionResponse, service: string): ConnectionResponse {
  const at = (url: string) => reachable(url, service);
  return {
    ...connection,
    avatars_info: connection.avatars_info.map((avatar) => ({
      ...avatar,
      previewIcons: { ...avatar.previewIcons, large: at(avatar.previewIcons.large) },
      startButtonIcon: at(avatar.startButtonIcon),
      idleVideo: at(avatar.idleVideo),
    })),
    languages: connection.languages.map((language) => ({ ...language, icon_url: at(language.icon_url) })),
  };
}
