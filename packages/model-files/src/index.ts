/** The files of models, for speech and of language: where they come from, how they are fetched and kept. */
export { findSource } from './llama.source.js';
export { LlamaStore } from './llama.store.js';
export { ModelError } from './model.error.js';
export type { InstallationReport } from './model.install.worker.js';
export { installProgram } from './model.install.worker-client.js';
export { downloadSize, filesOf, type Model, MOONSHINE, SMART_TURN } from './model.list.js';
export { isRestricted, ModelSources } from './model.sources.js';
export { type InstalledModel, installedSilero, installedTurnModel, megabytes, ModelStore } from './model.store.js';
