export { ADMIN_NAME, type AdminKey, ALL_PROJECTS, type OperatorRole } from './admin-keys.js';
export { Config, type ConfigValues, type RateLimits } from './config.js';
export { ConfigError, configFrom, loadConfig, loadModelSettings } from './environment.js';
export { assertUsableSettings, configFromSettings, type SettingsObject } from './given-settings.js';
export { isProviderKeyName, isSecretName } from './secret-names.js';
export { SETTINGS } from './settings.js';
