import { CircleCheck } from 'lucide-react'
import { useWatched, Watched } from './watched.ts'

const shownMs = 5_000
const announced = new Watched('')
let timer: ReturnType<typeof setTimeout> | undefined

/** Says for some seconds that something has been done, and has screen readers say it. An empty text takes away what is said. */
export function announce(text: string): void {
  clearTimeout(timer)
  announced.set(text)
  if (text !== '') timer = setTimeout(() => announced.set(''), shownMs)
}

export function Announcement() {
  const text = useWatched(announced)
  return (
    <div role="status">
      {text !== '' && (
        <p className="card">
          <CircleCheck aria-hidden />
          {text}
        </p>
      )}
    </div>
  )
}
