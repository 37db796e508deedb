import { Module } from '@nestjs/common';
import { Config } from '../platform/config/index.js';
import { ModelInstaller } from './model.installer.js';
import { ModelStore } from './model.store.js';

/** The models that are installed. */
@Module({
  providers: [
    { provide: ModelStore, useFactory: ({ modelsDir }: Config) => new ModelStore(modelsDir), inject: [Config] },
  ],
  exports: [ModelStore],
})
export class ModelsModule {}

/** Installs, in the background, what is missing. For the service; commands do without. */
@Module({ imports: [ModelsModule], providers: [ModelInstaller] })
export class BackgroundInstallationModule {}
