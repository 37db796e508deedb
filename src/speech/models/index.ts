export { BackgroundInstallationModule, ModelsModule } from './models.module.js';
