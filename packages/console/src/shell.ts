import { Api, ApiError } from './core/api.js';
import { type FeedEvent, followFeed } from './core/feed.js';
import { store } from './core/stored.js';
import { Alert, field, h, mayDiscard } from './core/ui.js';
import { Conversations } from './inbox/conversations.js';
import { inbox } from './inbox/inbox.js';
import { audit } from './pages/audit.js';
import { avatars } from './pages/avatars.js';
import { knowledge } from './pages/knowledge.js';
import { overview } from './pages/overview.js';
import { project } from './pages/project.js';
import { users } from './pages/users.js';
import { webhooks } from './pages/webhooks.js';
import type { Access, PageView, Workplace } from './workplace.js';
import { t } from './core/translate.js';

interface Page {
  name: string;
  title: string;
  isAllowed(access: Access): boolean;
  open(work: Workplace, argument?: string): PageView;
}

const PAGES: readonly Page[] = [
  { name: 'inbox', title: t('Inbox'), isAllowed: (access) => access.conversations, open: inbox },
  { name: 'users', title: t('Users'), isAllowed: () => true, open: users },
  { name: 'overview', title: t('Overview'), isAllowed: (access) => access.statistics, open: overview },
  { name: 'knowledge', title: t('Knowledge'), isAllowed: (access) => access.owner, open: knowledge },
  { name: 'avatars', title: t('Avatars'), isAllowed: (access) => access.catalogue, open: avatars },
  { name: 'project', title: t('Project'), isAllowed: (access) => access.catalogue, open: project },
  { name: 'webhooks', title: t('Webhooks'), isAllowed: (access) => access.owner, open: webhooks },
  { name: 'audit', title: t('Audit log'), isAllowed: (access) => access.owner, open: audit },
];

const pagesOf = (access: Access) => PAGES.filter(({ isAllowed }) => isAllowed(access));

/** The page around all pages, for a project. */
export class Shell {
  readonly element = h('div', { class: 'shell' });
  private readonly alert = new Alert();
  private readonly leaving = new AbortController();
  private readonly main = h('main', { id: 'main' });
  private readonly nav = h('nav', { 'aria-label': t('Pages') });
  /** Says what changes on other pages, to those who do not see the navigation. */
  private readonly news = h('p', { class: 'hidden', role: 'status' });
  private readonly connection = h('p', { class: 'connection', role: 'status' });
  private work?: Workplace;
  private view?: PageView;
  /** Of the page that is open. */
  private hash = location.hash;
  private isAsking = false;

  constructor(
    private readonly api: Api,
    private readonly projects: readonly string[],
    private readonly project_id: string,
    private readonly name: string,
    { choose, signOut }: { choose(project_id: string): void; signOut(): void },
  ) {
    const select = h('select', {}, ...projects.map((each) => h('option', { selected: each === project_id }, each)));
    select.addEventListener('change', async () => {
      if (await this.mayLeave()) choose(select.value);
      else select.value = project_id;
    });
    const header = h(
      'header',
      { class: 'top' },
      h('b', { class: 'brand' }, t('Console')),
      field(t('Project'), select),
      h('span', { class: 'operator' }, name),
      h('button', { type: 'button', onclick: async () => (await this.mayLeave()) && signOut() }, t('Sign out')),
    );
    const skip = h('a', { class: 'skip', href: '#main' }, t('Skip to the content'));
    skip.addEventListener('click', (event) => {
      event.preventDefault();
      this.focusPage();
    });
    this.element.append(skip, header, this.nav, this.connection, this.news, this.alert.element, this.main);
    const { signal } = this.leaving;
    addEventListener('hashchange', () => void this.follow(), { signal });
    addEventListener('beforeunload', (event) => this.view?.isChanged?.() && event.preventDefault(), { signal });
    void this.start();
  }

  dispose(): void {
    this.leaving.abort();
    this.view?.dispose?.();
    this.work?.conversations.dispose();
    document.title = t('Console');
  }

  private async start(): Promise<void> {
    if (this.projects.length === 0) {
      this.main.append(h('p', { class: 'note' }, t('The project of this key does not exist yet.')));
      return;
    }
    store('project', this.project_id);
    const { api, project_id, name } = this;
    await this.alert.run(async () => {
      const access = await accessOf(api, project_id);
      if (this.leaving.signal.aborted) return;
      const conversations = new Conversations(api, project_id, (error) => this.alert.show(error));
      this.work = { api, project_id, name, access, conversations };
      conversations.onChange(() => {
        this.alert.clear();
        this.showWaiting();
      });
      this.open(false);
      if (!access.conversations) return;
      // First, so that it loads them again if this fails.
      void followFeed(api, project_id, this.leaving.signal, (event) => this.handle(event));
      await conversations.load();
    });
  }

  /** Asks first, if there is text that would be lost. */
  mayLeave(): Promise<boolean> {
    return mayDiscard(this.view?.isChanged?.());
  }

  /** Goes on with another key, if it allows no less. What it allows besides is shown by the next page, and after a reload. */
  async adoptKey(key: string, projects: readonly string[]): Promise<boolean> {
    if (!this.work || !this.projects.every((each) => projects.includes(each))) return false;
    const access = await accessOf(new Api(key), this.project_id);
    const pages = pagesOf(access);
    if (!pagesOf(this.work.access).every((each) => pages.includes(each))) return false;
    this.work = { ...this.work, access };
    return true;
  }

  /** Opens another page, unless the operator stays. */
  private async follow(): Promise<void> {
    if (this.isAsking || location.hash === this.hash) return;
    this.isAsking = true;
    const leaves = await this.mayLeave();
    this.isAsking = false;
    if (leaves) this.open(true);
    else history.replaceState(null, '', location.pathname + location.search + this.hash);
  }

  /** Opens the page that the address names. */
  private open(isNavigation: boolean): void {
    if (!this.work) return;
    const allowed = pagesOf(this.work.access);
    this.hash = location.hash;
    const [name, argument] = this.hash.slice(1).split('/');
    const page = allowed.find((each) => each.name === name) ?? allowed[0]!;
    this.view?.dispose?.();
    this.view = page.open(this.work, argument || undefined);
    const links = allowed.map((each) =>
      h('a', { href: `#${each.name}`, 'aria-current': each === page ? 'page' : undefined }, each.title),
    );
    this.nav.replaceChildren(h('ul', {}, ...links.map((link) => h('li', {}, link))));
    this.main.replaceChildren(
      h('h1', { tabIndex: -1, class: page.name === 'inbox' ? 'hidden' : '' }, this.view.title),
      this.view.element,
    );
    this.showWaiting();
    this.nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (isNavigation) this.focusPage();
  }

  private focusPage(): void {
    if (this.view?.focus) this.view.focus();
    else this.main.querySelector('h1')?.focus();
  }

  private handle(event: FeedEvent): void {
    if (event.type === 'connected') {
      const text = event.isConnected ? '' : t('The connection is lost. Connecting again …');
      if (this.connection.textContent !== text) this.connection.textContent = text;
    }
    this.work?.conversations.handle(event);
    this.view?.handle?.(event);
  }

  /** In the title of the tab, and in the navigation. */
  private showWaiting(): void {
    const count = this.work?.conversations.list('waiting').length ?? 0;
    document.title = `${count > 0 ? `(${count}) ` : ''}${this.view?.title ?? t('Console')} – ${t('Console')}`;
    const link = this.nav.querySelector('a[href="#inbox"]');
    const text = count > 0 ? t('Inbox ({0} waiting)', count) : t('Inbox');
    if (!link || link.textContent === text) return;
    link.textContent = text;
    this.news.textContent = count > 0 ? t('{0} waiting', count) : '';
  }
}

/** What the key allows, as the service answers. */
async function accessOf(api: Api, project_id: string): Promise<Access> {
  const may = async (path: string, query: Record<string, string | number>) =>
    api.json(path, { query }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiError && (error.isForbidden || error.code === 'not_found')) return false;
        throw error;
      },
    );
  const [conversations, statistics, owner, catalogue] = await Promise.all([
    may('conversations', { project_id, state: 'waiting', limit: 1 }),
    may(`projects/${project_id}/statistics`, { days: 1 }),
    may('audit', { project_id, days: 1 }),
    may('catalogue/schema', {}),
  ]);
  return { conversations, statistics, owner, catalogue };
}
