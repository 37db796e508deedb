import { Module } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { provideClass } from '../../platform/extension-points/index.js';
import { ModelInstaller } from './model.installer.js';
import { ModelStore } from 'avatar-chat-model-files';
import { InstalledSpeech } from 'avatar-chat-models';

/** The installed models. */
@Module({
  providers: [
    { provide: ModelStore, useFactory: ({ modelsDir }: Config) => new ModelStore(modelsDir), inject: [Config] },
    provideClass(InstalledSpeech, [ModelStore]),
  ],
  exports: [ModelStore, InstalledSpeech],
})
export class ModelsModule {}

/** Installs missing models in the background. For the service only, not for commands. */
@Module({ imports: [ModelsModule], providers: [ModelInstaller] })
export class BackgroundInstallationModule {}
