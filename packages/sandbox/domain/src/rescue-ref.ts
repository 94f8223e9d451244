import type { PlanKey } from '@cleveragents/shared-kernel';

export const RESCUE_PREFIX = 'refs/cleveragents/rescue';
export const RESCUE_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The ref that keeps work which no other ref holds: `refs/cleveragents/rescue/<key>/20261130T172251123Z`. */
export function rescueRefName(key: PlanKey, at: Date): string {
  return `${RESCUE_PREFIX}/${key}/${at.toISOString().replace(/[-:.]/g, '')}`;
}

/** When a rescue ref was made; null when the name is not one of ours. */
export function rescueTime(ref: string): Date | null {
  const match = /\/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(?:-\d+)?$/.exec(ref);
  if (match === null || !ref.startsWith(`${RESCUE_PREFIX}/`)) return null;
  const [, year, month, day, hour, minute, second, milli] = match;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Whether a rescue ref was kept long enough. A name that is not ours is never expired. */
export function isExpiredRescue(ref: string, now: Date): boolean {
  const time = rescueTime(ref);
  return time !== null && now.getTime() - time.getTime() > RESCUE_DAYS * DAY_MS;
}
