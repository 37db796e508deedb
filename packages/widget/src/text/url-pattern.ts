import { REBuilder } from 'linkify-it';

/** What follows `http:` in a URL. Bundles have the finished expression: it is smaller than what makes it. */
export const URL_PATTERN = new REBuilder().get_http_validator();
