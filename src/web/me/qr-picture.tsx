import { create } from 'qrcode'
import { useMemo } from 'react'

/** Width of the light border in modules, which readers need (ISO/IEC 18004). */
const quietZone = 4

interface Props {
  readonly text: string
  readonly label: string
}

/** A QR code that the page draws itself, because its text is a secret. */
export function QrPicture({ text, label }: Props) {
  const { size, path } = useMemo(() => {
    const { modules } = create(text, { errorCorrectionLevel: 'L' })
    const dark = Array.from(modules.data, (isDark, at) =>
      isDark ? `M${at % modules.size} ${Math.floor(at / modules.size)}h1v1h-1z` : '',
    )
    return { size: modules.size + 2 * quietZone, path: dark.join('') }
  }, [text])
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`${-quietZone} ${-quietZone} ${size} ${size}`}>
      <rect x={-quietZone} y={-quietZone} width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
