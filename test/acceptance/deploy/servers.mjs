/** Starts the real nginx and Caddy with the configurations that are shipped and shown. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directory, launch } from '../harness.mjs';

/** The one of the documentation has no prefix, and one process. */
export const ON_THE_PAGE = 'caddy of docs/production.md';

/** What the comment of `nginx.conf` says for a service at the root. */
export const AT_THE_ROOT = 'nginx at the root';

const shipped = readFileSync('deploy/nginx/nginx.conf', 'utf8');

/** Configurations with the ports of this run, without a certificate. */
export const PROXIES = {
  nginx: (program, ports, port) => startNginx(program, ports, port, shipped),
  [AT_THE_ROOT]: (program, ports, port) => {
    const text = shipped.replace('location /talk/ {', 'location / {').replace('//avatar_chat/;', '//avatar_chat;');
    return startNginx(program, ports, port, text);
  },
  caddy: (program, ports, port) => startCaddy(program, ports, port, readFileSync('deploy/caddy/Caddyfile', 'utf8')),
  [ON_THE_PAGE]: (program, ports, port) => {
    const [, shown = ''] =
      /^```\n(chat\.example\.org [^]*?)^```/m.exec(readFileSync('docs/production.md', 'utf8')) ?? [];
    return startCaddy(program, ports, port, shown.replace(':3000', ':3001'));
  },
};

function startNginx(program, ports, port, given) {
  const place = join(directory, 'nginx');
  mkdirSync(place, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const own = temporary.map((kind) => `  ${kind}_temp_path ${join(place, kind)};\n`).join('');
  const text = given
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports[0]}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${ports[1]}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('http {\n', `http {\n  access_log off;\n${own}`);
  writeFileSync(join(place, 'nginx.conf'), `daemon off;\nerror_log stderr warn;\npid ${join(place, 'pid')};\n${text}`);
  return launch(program, ['-p', place, '-e', 'stderr', '-c', join(place, 'nginx.conf')], { stderr: 'pipe' });
}

function startCaddy(program, ports, port, given) {
  const file = join(directory, 'Caddyfile');
  const text = given
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports[0]}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${ports[1]}`)
    .replace(/^chat\.example\.org/m, `http://127.0.0.1:${port}`);
  writeFileSync(file, `{\n\tadmin off\n}\n${text}`);
  const env = { XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory, HOME: directory };
  return launch(program, ['run', '--adapter', 'caddyfile', '--config', file], { env });
}
