const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A number of bytes as text for people. */
export function sizeText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
