import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { AvatarChatModule } from 'avatar-chat-service';
import { OrdersController } from './orders.controller';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    AvatarChatModule.forRootAsync({
      prefix: 'talk/v1',
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        settings: {
          NODE_ENV: config.get<string>('NODE_ENV'),
          MONGODB_URI: config.get<string>('MONGODB_URI'),
          JWT_SECRET: config.get<string>('JWT_SECRET'),
          PUBLIC_URL: config.get<string>('PUBLIC_URL'),
        },
      }),
    }),
  ],
  controllers: [OrdersController],
})
export class AppModule {}
