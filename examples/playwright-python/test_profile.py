def test_a_page_in_the_profile(page):
    page.set_content("<title>hello</title><button onclick=\"document.title = 'pressed'\">press</button>")
    page.get_by_role("button").click()
    assert page.title() == "pressed"
