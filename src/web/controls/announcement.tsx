import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useWatched, Watched } from './watched.ts'

const shownMs = 5_000
const announced = new Watched({ text: '', isWarning: false })
let timer: ReturnType<typeof setTimeout> | undefined

function say(text: string, isWarning: boolean): void {
  clearTimeout(timer)
  announced.set({ text, isWarning })
  if (text !== '') timer = setTimeout(() => announced.set({ text: '', isWarning }), shownMs)
}

/** Says for some seconds that something has been done, and has screen readers say it. An empty text takes away what is said. */
export const announce = (text: string): void => say(text, false)

/** Says in the same place that something was not done, where no view has a place for it. */
export const warn = (text: string): void => say(text, true)

export function Announcement() {
  const { text, isWarning } = useWatched(announced)
  const said = text !== '' && (
    <p className="card">
      {isWarning ? <TriangleAlert aria-hidden /> : <CircleCheck aria-hidden />}
      {text}
    </p>
  )
  return (
    <>
      <div role="status">{!isWarning && said}</div>
      {isWarning && said && <div role="alert">{said}</div>}
    </>
  )
}
