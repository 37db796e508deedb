/**
 * A health check for containers, which have no curl: exits with 0 if the service on this machine answers 200.
 *
 *   node scripts/health-check.mjs [/health/ready]
 */
const [path = '/health/live'] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env.PORT || 3000}${path}`;
const { ok } = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
