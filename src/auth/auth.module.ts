import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Config } from '../platform/config/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { JwtGuard } from './jwt.guard.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenKeys } from './token.keys.js';

/** Issues tokens. Its guard closes every route to those who have none; the application registers it. */
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
  providers: [AuthService, JwtStrategy, TokenKeys, JwtGuard],
  exports: [AuthService, JwtGuard],
})
export class AuthModule {}
