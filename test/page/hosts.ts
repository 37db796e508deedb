import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Pages of other sites that embed the chat. */
export class Hosts {
  private server!: Server;
  private readonly pages: Record<string, { html: () => string; policy?: () => string }> = {};

  /** Their origin, which differs from the service's, also by host name. */
  site = '';

  async start(): Promise<void> {
    this.server = createServer(({ url = '' }, response) => {
      const page = this.pages[url.replace(/\?.*/, '')];
      if (!page) return response.writeHead(204).end();
      const policy = page.policy?.();
      response
        .writeHead(200, {
          'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html',
          ...(policy && { 'content-security-policy': policy }),
        })
        .end(page.html());
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.site = `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** The same pages under another origin. */
  get elsewhere(): string {
    return this.site.replace('localhost', '127.0.0.1');
  }

  add(path: string, html: () => string, policy?: () => string): void {
    this.pages[path] = { html, policy };
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A shop with a style sheet for all elements, and shortcuts on every key. */
export const shop = (service: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Lamps</title>
    <script src="${service}/widget.js" async></script>
    <style>
      * { all: revert; }
      html { font-size: 62.5%; }
      body { zoom: 1.25; direction: rtl; user-select: none; transform: translateX(0); text-transform: uppercase; line-height: 3; }
      section, button, textarea { display: none !important; }
      nav { position: fixed; inset: 0 0 auto; height: 60px; z-index: 2147483647; background: #fd8; }
    </style>
  </head>
  <body>
    <nav>Lamps</nav>
    <h1>A lamp</h1>
    <p>It shines.</p>
    <avatar-chat floating avatar="ada" language="en" chat-type="text"></avatar-chat>
  </body>
</html>`;

/** An application that shows the chat on some of its views. */
export const application = (service: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Application</title>
    <script src="${service}/widget.js" defer></script>
  </head>
  <body>
    <main></main>
  </body>
</html>`;

/** A page with a frame of another origin, which contains the chat. */
export const framing = (framed: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>A frame</title>
  </head>
  <body>
    <iframe src="${framed}" allow="microphone; camera" width="100%" height="760" title="Chat"></iframe>
  </body>
</html>`;
