import type { PathRewritingDriver } from '../driver.ts';
import { AppDriver } from './app.ts';
import { ProxyDriver } from './proxy.ts';
import { RulesDriver } from './rules.ts';

/** Every scenario is played on each of them. */
export const drivers: readonly (() => PathRewritingDriver)[] = [
  () => new RulesDriver(),
  () => new ProxyDriver(),
  () => new AppDriver(),
];
