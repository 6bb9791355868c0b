export type Point = { write: string; times: number }

/**
 * One life of a process, which ends right after a chosen write. Its code keeps running, but no call after that gets a
 * response.
 */
export class Life {
  readonly writes: string[] = []
  readonly died: Promise<'died'>
  isOver = false
  private die!: (how: 'died') => void

  constructor(private readonly endsAfter: Point | null) {
    this.died = new Promise((resolve) => {
      this.die = resolve
    })
  }

  /** Wraps a port for this life. @param writes the methods that change the world. */
  of<Port extends object>(port: Port, name: string, writes: readonly (keyof Port & string)[]): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const method = Reflect.get(target, key)
        if (typeof method !== 'function' || typeof key !== 'string') return method
        return (...given: unknown[]) => {
          if (this.isOver) return never
          const answer = method.apply(target, given)
          if (!(answer instanceof Promise)) return answer
          return this.carriedOut(answer, (writes as readonly string[]).includes(key) ? `${name}.${key}` : null)
        }
      },
    })
  }

  private timesOf(write: string): number {
    return this.writes.filter((one) => one === write).length
  }

  private async carriedOut<Answer>(doing: Promise<Answer>, write: string | null): Promise<Answer> {
    const answer = await doing
    if (this.isOver) return never
    if (write !== null) {
      this.writes.push(write)
      if (write === this.endsAfter?.write && this.timesOf(write) >= this.endsAfter.times) {
        this.isOver = true
        this.die('died')
        return never
      }
    }
    return answer
  }
}

const never: Promise<never> = new Promise(() => {})
