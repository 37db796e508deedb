import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

const webhooks = new Map<string, { readonly summary: string; readonly data: Type }>();

/** Adds an event to the `webhooks` of all documents. @param data the type of the event's data */
export function documentWebhook(type: string, summary: string, data: Type): void {
  webhooks.set(type, { summary, data });
}

/** The types of the data of all events. */
export const webhookModels = (): Type[] => [...new Set([...webhooks.values()].map(({ data }) => data))];

const HEADERS = {
  'webhook-id': 'The event: the same in each attempt.',
  'webhook-timestamp': 'Unix time of this attempt, in seconds.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 of `id.timestamp.body`, for each secret, separated by spaces.',
};
const parameters = Object.entries(HEADERS).map(([name, description]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
}));

/** Describes what is sent to receivers, by the type of the event. */
export function describeWebhooks(): NonNullable<OpenAPIObject['webhooks']> {
  return Object.fromEntries(
    [...webhooks].map(([type, { summary, data }]) => {
      const schema = {
        type: 'object' as const,
        properties: {
          type: { type: 'string' as const, enum: [type] },
          timestamp: { type: 'string' as const, format: 'date-time' },
          data: { $ref: getSchemaPath(data) },
        },
        required: ['type', 'timestamp', 'data'],
      };
      const post = {
        operationId: `webhook_${type.replaceAll('.', '_')}`,
        tags: ['Webhooks'],
        summary,
        description: summary,
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Received. With any other status, it is sent again.' } },
      };
      return [type, { post }];
    }),
  );
}
