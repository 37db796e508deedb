import { Module } from '@nestjs/common';
import { VideoRenderer } from './video.renderer.js';

/** Renders an avatar's speech as a video of its portrait. */
@Module({ providers: [VideoRenderer], exports: [VideoRenderer] })
export class VideoModule {}
