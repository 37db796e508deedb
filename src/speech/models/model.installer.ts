import { type ChildProcess, fork } from 'node:child_process';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { type InstallationReport, downloadSize, installProgram, MOONSHINE, ModelStore } from 'avatar-chat-model-files';
import { describeError, loggerOf } from '../../platform/logging/index.js';

/** Delay after the start, in milliseconds, so that startup has priority. */
const DELAY_MS = 1000;

/**
 * Outside production, downloads the model for English in the background if it is missing, unless `SPEECH_MODELS=off`.
 * Uses a child process, whose memory is released afterwards.
 */
@Injectable()
export class ModelInstaller implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = loggerOf(ModelInstaller.name);
  private timer?: NodeJS.Timeout;
  private child?: ChildProcess;

  constructor(
    private readonly config: Config,
    private readonly store: ModelStore,
  ) {}

  /** @internal */
  onApplicationBootstrap(): void {
    if (this.config.production || this.config.speechModels === 'off') return;
    this.timer = setTimeout(() => void this.install().catch((error: unknown) => this.fail(error)), DELAY_MS).unref();
  }

  /** @internal */
  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.child?.kill();
  }

  private async install(): Promise<void> {
    const file = installProgram();
    if (!file || (await this.store.isInstalled(MOONSHINE))) return;
    // npm's configuration may also come from the environment.
    const child = fork(file, [this.store.directory, MOONSHINE.name], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
    child.unref();
    child.channel?.unref();
    child.on('message', (report: InstallationReport) => this.log(report));
    child.on('error', (error) => this.fail(error));
    child.on('exit', () => (this.child = undefined));
  }

  private fail(error: unknown): void {
    this.logger.warn(`The model for speech was not installed: ${describeError(error).error}`);
  }

  private log(report: InstallationReport): void {
    const size = `${Math.round(downloadSize(MOONSHINE) / 1e6)} MB`;
    if (report === 'begun')
      this.logger.log(
        `Fetching ${MOONSHINE.name} (${size}) in the background, so that recordings in English are transcribed; SPEECH_MODELS=off prevents it`,
      );
    else if (report === 'half') this.logger.log(`Fetching ${MOONSHINE.name}: 50 % of ${size}`);
    else if (report === 'done')
      this.logger.log(`${MOONSHINE.name} is installed: recordings in English are transcribed`);
    else this.logger.warn(`${report.failure} "npm run cli -- speech install" tries again`);
  }
}
