import type { RobotMimic } from '../../robots/index.ts'

/** How a joint follows another: `right = -left + 0.1`. */
export function ruleOf({ name, follows, multiplier, offset }: Omit<RobotMimic, 'type' | 'body'>): string {
  const shift = offset === 0 ? '' : offset < 0 ? ` - ${-offset}` : ` + ${offset}`
  return `${name} = ${multiplier === 1 ? '' : multiplier === -1 ? '-' : `${multiplier} × `}${follows}${shift}`
}
