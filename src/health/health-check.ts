import { markMethod } from '../platform/extension-points/index.js';

export const HEALTH_CHECK = Symbol('health check');

/**
 * Runs a method of a provider for each `GET /health/ready`. The service is not ready if it throws, returns false, or
 * takes longer than a second; its name is then logged.
 *
 * @example
 * @HealthCheck('crm')
 * async reach(): Promise<void> { await this.crm.ping(); }
 */
export const HealthCheck = (name: string) => markMethod(HEALTH_CHECK, name);
