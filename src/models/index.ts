export { ModelError } from './model.error.js';
export { downloadSize, filesOf, MODELS, type Model, MOONSHINE } from './model.list.js';
export { ModelStore } from './model.store.js';
export { BackgroundInstallationModule, ModelsModule } from './models.module.js';
