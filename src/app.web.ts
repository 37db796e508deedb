import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from './platform/config/index.js';
import { PublicUrl } from './platform/http/index.js';

/** The output of `build.mjs` of the widget and the console; also found by tests, which run the sources. */
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

/** Serves the operators' page at `/console`, if there is a key for it. */
export function serveConsole(app: NestFastifyApplication, { adminKey }: Config): void {
  const root = `${WEB}console`;
  if (adminKey === undefined || !existsSync(root)) return;
  const html = readFileSync(`${root}/index.html`, 'utf8');
  const styles = stylesIn(html);
  const urls = app.get(PublicUrl);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.get('/console', (_request, reply) =>
    reply
      .header('Content-Security-Policy', consolePolicy(urls.base, styles))
      .type('text/html; charset=utf-8')
      .send(html),
  );
  // Relative, like all addresses of the page: a proxy may have stripped a part of the path.
  fastify.get('/console/', (_request, reply) => reply.redirect('../console', 308));
  void app.register(
    fastifyStatic as never,
    {
      root,
      prefix: '/console/',
      wildcard: false,
      index: false,
      decorateReply: false,
      preCompressed: true,
      globIgnore: ['**/*.gz', '**/*.html'],
    } as never,
  );
}

/** The CSP source for the inline style sheet. */
function stylesIn(html: string): string {
  const css = html.slice(html.indexOf('<style>') + '<style>'.length, html.indexOf('</style>'));
  return `'sha256-${hash('sha256', css, 'base64')}'`;
}

/** The page loads from this service alone, whose recordings and portraits have the public address. */
function consolePolicy(publicUrl: string, styles: string): string {
  const { origin } = new URL(publicUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "connect-src 'self'",
    `img-src 'self' ${origin}`,
    `media-src 'self' ${origin}`,
    ...CLOSED,
    "trusted-types 'none'",
  ].join('; ');
}

/** No frames, no forms, no other base, and no markup from text. */
const CLOSED = [
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
];

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
    ...CLOSED,
  ].join('; ');
}
