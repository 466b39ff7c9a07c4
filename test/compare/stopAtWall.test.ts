import { expect, test } from 'vitest'
import { playScene } from './playScene.ts'

test('a differential drive whose controller sees rays alone, late and through noise, stops half a metre before the wall', async () => {
  const speeds: number[] = []
  const world = await playScene('stop-at-wall', 'ncp', 1e-3, ({ state }) => void speeds.push(state.v[3]))
  // the sensor is on the axle; the wall's face is at 1.9 m, and the least of five noisy rays is some of its noise nearer
  expect(Math.abs(1.9 - world.state.q[0] - 0.5)).toBeLessThan(0.02)
  expect(Math.max(...speeds)).toBeGreaterThan(0.45)
  expect(Math.max(...speeds)).toBeLessThan(0.55)
  const { log } = world.robots[0].controller ?? {}
  expect(log?.names.slice(0, 4)).toEqual(['distance', 'speed', 'acceleration', 'sensors.ahead/0'])
  expect(Math.abs((log?.values[0] ?? 0) - 0.5)).toBeLessThan(0.05)
})
