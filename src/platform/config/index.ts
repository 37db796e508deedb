export { ADMIN_NAME, type AdminKey, ALL_PROJECTS, type OperatorRole } from './admin-keys.js';
export { Clock, isoDate, LAST_DATE_MS, SystemClock } from './clock.js';
export { Config, type ConfigValues, type RateLimits } from './config.js';
export { configFromSettings, assertUsableSettings, type SettingsObject } from './given-settings.js';
export { ConfigModule } from './config.module.js';
export { ConfigError, configFrom, loadConfig, loadModelSettings } from './environment.js';
export { isProviderKeyName, isSecretName } from './secret-names.js';
export { SETTINGS } from './settings.js';
