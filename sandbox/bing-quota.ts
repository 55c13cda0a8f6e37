import { BING } from './limits'

export interface BingQuota {
  readonly allowance: number
  left(): { daily: number; monthly: number }
  spend(urls: number): void
  newDay(): void
  restart(allowance: number): void
}

const gmtDay = () => new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)

export function createBingQuota(initialAllowance: number): BingQuota {
  let allowance = initialAllowance
  let spentToday = 0
  let spentThisMonth = 0
  let day = gmtDay()

  function newDay() {
    spentToday = 0
    day = gmtDay()
  }

  return {
    get allowance() {
      return allowance
    },
    left() {
      if (day !== gmtDay()) newDay()
      const monthly = Math.max(0, allowance * BING.MONTHLY_DAYS_OF_QUOTA - spentThisMonth)
      return { daily: Math.min(monthly, allowance - spentToday), monthly }
    },
    spend(urls) {
      spentToday += urls
      spentThisMonth += urls
    },
    newDay,
    restart(newAllowance) {
      allowance = newAllowance
      spentThisMonth = 0
      newDay()
    },
  }
}
