import type { ConnectionResponse } from 'avatar-chat-client';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Rewrites a URL of the service so that this page can reach it. On a developer's machine the service may use one loopback
 * name, such as 127.0.0.1, and the page another one, which is a different origin to browsers.
 */
export function reachable(url: string, service: string): string {
  const there = new URL(url);
  const here = new URL(service);
  if (there.port === here.port && LOOPBACK.test(there.hostname) && LOOPBACK.test(here.hostname)) {
    there.hostname = here.hostname;
  }
  return there.href;
}

/** The avatars and languages, with reachable URLs of pictures and videos. */
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
