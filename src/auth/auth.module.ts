import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Config } from '../platform/config/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { JwtGuard } from './jwt.guard.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenKeys } from './token.keys.js';

/** Issues tokens, and closes every route of the application to those who have none. */
@Module({
  imports: [
    CatalogueModule,
    PassportModule,
    JwtModule.registerAsync({
      inject: [Config],
      useFactory: (config: Config) => {
        const { key, kid } = new TokenKeys(config).signing;
        return { secret: key, signOptions: { algorithm: 'HS256', keyid: kid } };
      },
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, JwtStrategy, TokenKeys, { provide: APP_GUARD, useClass: JwtGuard }],
  exports: [AuthService],
})
export class AuthModule {}
