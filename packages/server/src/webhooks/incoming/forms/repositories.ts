import { type Fields, fieldsOf, lines, link, listOf, stringOf, strong } from "./fields.ts";

const COMMITS_SHOWN = 10;
/** The subjects of events of GitHub and Gitea, the narrowest first: a comment before its issue. */
const SUBJECTS = [
  "comment",
  "review",
  "pull_request",
  "issue",
  "discussion",
  "release",
  "workflow_run",
  "workflow_job",
  "check_run",
  "check_suite",
  "deployment_status",
  "deployment",
  "package",
  "alert",
  "milestone",
  "label",
  "forkee",
  "page_build",
  "hook",
];

/** Returns an event of GitHub, Gitea, Forgejo or Gogs; empty if the payload is none. `event` is the header's. */
export function repositoryEvent(payload: Fields, event: string): string {
  const repository = fieldsOf(payload.repository);
  const [sender, owner] = [fieldsOf(payload.sender), fieldsOf(payload.organization)];
  const place = stringOf(repository.full_name) || stringOf(owner.login);
  if (place === "" && stringOf(payload.zen) === "") return "";
  const where = link(place, repository.html_url);
  if (Array.isArray(payload.commits)) return pushText(payload, where);
  const who = stringOf(sender.login) || stringOf(sender.username) || stringOf(fieldsOf(payload.pusher).name);
  const what = [stringOf(payload.action), event].filter(Boolean).join(" ").replaceAll("_", " ");
  const about = [stringOf(payload.ref_type), stringOf(payload.ref)].filter(Boolean).join(" ");
  return lines([
    [strong(who), what, about, where === "" ? "" : `in ${where}`].filter(Boolean).join(" "),
    ...subjectsIn(payload),
    stringOf(payload.zen),
  ]);
}

/** Returns the title, state and text of what the event is about, and of what that belongs to. */
function subjectsIn(payload: Fields): string[] {
  return SUBJECTS.flatMap((name) => {
    const subject = fieldsOf(payload[name]);
    const number = stringOf(subject.number);
    const title = stringOf(subject.title) || stringOf(subject.name) || stringOf(subject.tag_name);
    const named = [number === "" ? "" : `#${number}`, title].filter(Boolean).join(" ");
    const state = stringOf(subject.conclusion) || stringOf(subject.state);
    const address = subject.html_url ?? subject.target_url ?? subject.url;
    const words = link(named, address);
    return [[words, state].filter(Boolean).join(" · "), stringOf(subject.body) || stringOf(subject.description)];
  }).filter(Boolean);
}

function pushText(payload: Fields, where: string): string {
  const [pusher, sender] = [fieldsOf(payload.pusher), fieldsOf(payload.sender)];
  const who =
    stringOf(sender.login) ||
    stringOf(pusher.login) ||
    stringOf(pusher.name) ||
    stringOf(payload.user_username) ||
    stringOf(payload.user_name);
  const ref = stringOf(payload.ref).replace(/^refs\/(heads|tags)\//, "");
  const all = payload.commits as unknown[];
  const count = Number(payload.total_commits_count ?? payload.total_commits ?? all.length) || all.length;
  const change = payload.deleted === true ? "deleted" : `pushed ${count === 1 ? "1 commit" : `${count} commits`} to`;
  const shown = listOf(all).slice(0, COMMITS_SHOWN).map(commitLine);
  return lines([
    [strong(who), change, ref, where === "" ? "" : `in ${where}`].filter(Boolean).join(" "),
    ...shown,
    count > shown.length ? `- and ${count - shown.length} more` : "",
    link("Compare", payload.compare ?? payload.compare_url) === "Compare"
      ? ""
      : link("Compare", payload.compare ?? payload.compare_url),
  ]);
}

function commitLine({ id, message, url, author }: Fields): string {
  const [subject = ""] = stringOf(message).split("\n", 1);
  const by = stringOf(fieldsOf(author).username) || stringOf(fieldsOf(author).name);
  return `- ${[link(stringOf(id).slice(0, 8), url), subject, by === "" ? "" : `(${by})`].filter(Boolean).join(" ")}`;
}

/** Returns an event of GitLab, whose payloads name their kind; empty if the payload is none. */
export function gitlabEvent(payload: Fields): string {
  const kind = stringOf(payload.object_kind) || stringOf(payload.event_name);
  const project = fieldsOf(payload.project);
  if (kind === "" || (stringOf(project.name) === "" && !Array.isArray(payload.commits))) return "";
  const where = link(stringOf(project.path_with_namespace) || stringOf(project.name), project.web_url);
  if (Array.isArray(payload.commits)) return pushText(payload, where);
  const subject = fieldsOf(payload.object_attributes);
  const target = fieldsOf(payload.merge_request ?? payload.issue ?? payload.commit);
  const who = stringOf(fieldsOf(payload.user).name) || stringOf(payload.user_name);
  const state =
    firstOf(subject, ["action", "detailed_status", "status"]) || firstOf(payload, ["build_status", "action"]);
  const named = firstOf(subject, ["title", "ref"]) || firstOf(payload, ["build_name", "name", "ref"]);
  const sign = kind === "merge_request" ? "!" : "#";
  const number = stringOf(subject.iid) === "" ? "" : `${sign}${stringOf(subject.iid)}`;
  return lines([
    [strong(who), kind.replaceAll("_", " "), state, where === "" ? "" : `in ${where}`].filter(Boolean).join(" "),
    link([number, named].filter(Boolean).join(" "), subject.url ?? payload.url),
    stringOf(subject.note) || stringOf(subject.description) || stringOf(payload.description),
    link(stringOf(target.title), target.url),
  ]);
}

/** Returns the first of these fields that has a text. */
const firstOf = (fields: Fields, names: readonly string[]): string =>
  names.map((name) => stringOf(fields[name])).find(Boolean) ?? "";
