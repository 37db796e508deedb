import { ApiExtension } from '@nestjs/swagger';

const BODIES = 'x-bodies';

type Content = Readonly<Record<string, { readonly schema: object }>>;

/** Documents a body by media type, in place of what `@Body()` says: a schema for each. */
export const ApiBodies = (content: Content): MethodDecorator => ApiExtension(BODIES, content);

/** Puts the bodies of {@link ApiBodies} where OpenAPI expects them. */
export function placeBodies(operation: object): void {
  const { [BODIES]: content } = operation as { [BODIES]?: Content };
  if (!content) return;
  delete (operation as { [BODIES]?: Content })[BODIES];
  Object.assign(operation, { requestBody: { required: true, content } });
}
