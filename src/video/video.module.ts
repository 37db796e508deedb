import { Module } from '@nestjs/common';
import { VideoRenderer } from './video.renderer.js';

/** Renders what an avatar says as a video of its portrait. */
@Module({ providers: [VideoRenderer], exports: [VideoRenderer] })
export class VideoModule {}
