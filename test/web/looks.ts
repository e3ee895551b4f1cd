import { isRelease } from '../support/release.ts'

const [light, dark] = ['light', 'dark'] as const
const [desk, phone] = [1280, 360] as const

/** Colours, and widths in pixels, in which a view is looked at. All are tried before a release, and each once in a run. */
export const looks = isRelease
  ? ([
      [light, desk],
      [dark, desk],
      [light, phone],
      [dark, phone],
    ] as const)
  : ([
      [light, desk],
      [dark, phone],
    ] as const)
