import { NestFactory } from '@nestjs/core';
import { list } from './markdown.mjs';

/** The metrics of a service that is built but not started, so that no database is needed. */
export async function renderMetrics() {
  process.env.DATA_DIR ||= '.cache/openapi';
  const { AppModule, Config, createAdapter } = await import('../../dist/index.js');
  const { Metrics } = await import('../../dist/platform/health/index.js');
  const config = new Config();
  const app = await NestFactory.create(AppModule.for(config), createAdapter(config), { logger: false });
  const metrics = app.get(Metrics).registry.getMetricsAsArray();
  const own = metrics.filter(({ name }) => !/^(process|nodejs)_/.test(name));
  return list([
    ...own
      .sort((one, other) => one.name.localeCompare(other.name))
      .map((/** @type {any} */ { name, type, labelNames, help }) => [
        `\`${[name, ...(labelNames.length > 0 ? [`{${labelNames.join()}}`] : [])].join('')}\` (${type})`,
        help.replace(/\.$/, ''),
      ]),
    ['`process_*`, `nodejs_*`', "prom-client's defaults: CPU, memory, event loop, garbage collection"],
  ]);
}
