// Moments as people write them.

export function time(stamp, words) {
  const moment = new Date(stamp);
  const today = moment.toDateString() === new Date().toDateString();
  const date = today ? {} : { day: "numeric", month: "short" };
  return moment.toLocaleString(words.language, { ...date, hour: "2-digit", minute: "2-digit" });
}
