import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { Config } from './platform/config/index.js';
import { PublicUrl } from './platform/http/index.js';

/** The output of `packages/widget/build.mjs`; also found by tests, which run the sources. */
const WEB = fileURLToPath(new URL('../dist/web/', import.meta.url));

/** Serves the widget at `/widget.js`, its `AudioWorklet` scripts and, if enabled, the demo page at `/`. */
export function serveWeb(app: NestFastifyApplication, config: Config): void {
  const root = [`${WEB}widget`, ...(config.demo ? [`${WEB}demo`] : [])].filter((path) => existsSync(path));
  if (root.length === 0) return;
  const urls = app.get(PublicUrl);
  const page = `${WEB}demo/index.html`;
  const styles = config.demo && existsSync(page) ? stylesIn(readFileSync(page, 'utf8')) : "'none'";
  const options = {
    root,
    // One route per file instead of a wildcard, so that API paths are not shadowed.
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

/** The CSP source for the inline style sheet. */
function stylesIn(html: string): string {
  const css = html.slice(html.indexOf('<style>') + '<style>'.length, html.indexOf('</style>'));
  return `'sha256-${hash('sha256', css, 'base64')}'`;
}

/**
 * The page only loads from this service. Pictures and videos of a catalogue may be on other servers; those of this
 * server have its public address, which may differ from the one the page was opened at.
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
