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

/** Shows a sentence for some seconds and has screen readers read it out. An empty text removes the shown one. */
export const announce = (text: string): void => say(text, false)

/** Shows in the same way that something failed, where no view has a place for the error. */
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
