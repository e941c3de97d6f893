import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { onMounted, watch } from 'vue';
import './theme.css';

export default { extends: DefaultTheme, setup: markHome };

/** The first page has no main landmark of its own, as the others have. */
function markHome() {
  const { frontmatter } = useData();
  const mark = () => {
    const content = document.getElementById('VPContent');
    if (frontmatter.value.layout === 'home') content?.setAttribute('role', 'main');
    else content?.removeAttribute('role');
  };
  onMounted(() => watch(frontmatter, mark, { immediate: true, flush: 'post' }));
}
