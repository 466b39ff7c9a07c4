import { pythonAdapters } from '../python/pythonEngine.ts'

/** SAPIEN: PhysX 5 on the CPU, which takes the mean of two materials'. */
export const adapters = pythonAdapters('sapien', { friction: 'mean', restitution: 'mean' }, [
  [
    'SAPIEN',
    'as it comes: temporal Gauss-Seidel, 10 position and 1 velocity iterations, no bounce below 2 m/s, contact offset 1 cm, sleep below 0.005, damping of 0.05 /s of all rotation and of the motion of links; friction of joints 0, which by default is 0.05; in single precision',
  ],
  [
    'SAPIEN, iterated',
    '50 position and 4 velocity iterations, bounces above 1 cm/s, continuous collision detection, no damping; the rest as it comes',
    { bounce: 0.01, positionIterations: 50, velocityIterations: 4, ccd: true, damping: 0 },
  ],
])
