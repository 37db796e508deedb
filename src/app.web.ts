import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { Config } from './platform/config/index.js';
import { PublicUrl } from './platform/http/index.js';

/** What `packages/widget/build.mjs` has made, also for tests, which run the sources. */
const WEB = fileURLToPath(new URL('../dist/web/', import.meta.url));

/** Serves the widget at `/widget.js`, with what it runs in an `AudioWorklet`, and, where it is on, the demo page at `/`. */
export function serveWeb(app: NestFastifyApplication, config: Config): void {
  const root = [`${WEB}widget`, ...(config.demo ? [`${WEB}demo`] : [])].filter((path) => existsSync(path));
  if (root.length === 0) return;
  const urls = app.get(PublicUrl);
  const page = `${WEB}demo/index.html`;
  const styles = config.demo && existsSync(page) ? stylesIn(readFileSync(page, 'utf8')) : "'none'";
  const options = {
    root,
    // A route for each file, not one for everything, so that the paths of the interface stay what they are.
    wildcard: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['**/*.gz'],
    setHeaders(reply: FastifyReply, path: string) {
      if (path.endsWith('.html')) void reply.header('Content-Security-Policy', pagePolicy(urls.base, styles));
    },
  };
  void app.register(fastifyStatic as never, options as never);
}

/** What a policy calls the style sheet that stands in a page. */
function stylesIn(html: string): string {
  const css = html.slice(html.indexOf('<style>') + '<style>'.length, html.indexOf('</style>'));
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`;
}

/**
 * The page loads from this service and nowhere else. Pictures and videos of a catalogue may stand on other servers;
 * those of this one have its public address, which need not be the one that the page was opened at.
 */
function pagePolicy(publicUrl: string, styles: string): string {
  const { origin } = new URL(publicUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `connect-src 'self' ${origin} https:`,
    `img-src 'self' ${origin} https:`,
    `media-src 'self' ${origin} https:`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
