/** Processor time of this process [µs]. */
export function clock(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
